import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), tailwind()],
  resolve: {
    // Without the part for versions of React that lack `useSyncExternalStore`.
    alias: [
      {
        find: /^use-sync-external-store\/shim\/with-selector(\.js)?$/,
        replacement: 'use-sync-external-store/with-selector.js',
      },
    ],
  },
  build: {
    // The policy of the page allows files of this server only: no data: URLs, and no script in the page.
    assetsInlineLimit: 0,
    manifest: true,
    // Lists of what each page loads would be part of the shell.
    modulePreload: { polyfill: false, resolveDependencies: () => [] },
    target: 'es2024',
    rolldownOptions: {
      output: {
        // Short names without words: the shell lists those of all pages.
        chunkFileNames: 'assets/[hash:7].js',
        // The shell in two files, its libraries and its own code: they compress better than many.
        advancedChunks: {
          groups: [
            {
              name: 'libraries',
              test: /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack\/(react-router|router-core|history|store|react-store))\//,
            },
          ],
        },
      },
    },
  },
})

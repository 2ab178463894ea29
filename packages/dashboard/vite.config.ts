import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), tailwind()],
  build: {
    // The policy of the page allows files of this server only: no data: URLs, and no script in the page.
    assetsInlineLimit: 0,
    manifest: true,
    modulePreload: { polyfill: false },
    target: 'es2022',
  },
})

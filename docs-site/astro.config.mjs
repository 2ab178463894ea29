import starlight from '@astrojs/starlight'
import { defineConfig } from 'astro/config'
import sidebar from './src/sidebar.json' with { type: 'json' }

/** npm run docs, in the folder above, puts the pages and the menu in place and then builds. */
// biome-ignore lint/style/noDefaultExport: Astro asks for it.
export default defineConfig({
  trailingSlash: 'always',
  integrations: [
    starlight({
      title: 'Malipo',
      logo: { src: './src/assets/mark.svg', alt: '' },
      favicon: '/favicon.svg',
      sidebar,
      customCss: ['./src/styles/malipo.css'],
      credits: false,
      pagination: true,
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
      expressiveCode: {
        themes: ['github-dark-default', 'github-light-default'],
        styleOverrides: { borderRadius: '0.5rem' },
        defaultProps: { wrap: true, overridesByLang: { 'sh,text': { frame: 'none' } } },
      },
    }),
  ],
})

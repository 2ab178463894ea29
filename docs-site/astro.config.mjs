import starlight from '@astrojs/starlight'
import { defineConfig } from 'astro/config'
import sidebar from './src/sidebar.json' with { type: 'json' }

// biome-ignore lint/style/noProcessEnv: The address is known only where the site is served.
const url = process.env.DOCS_URL
const shareImage = url ? new URL('/share.png', url).href : '/share.png'
const meta = (attrs) => ({ tag: 'meta', attrs })

/** npm run docs, in the folder above, puts the pages and the menu in place and then builds. */
// biome-ignore lint/style/noDefaultExport: Astro asks for it.
export default defineConfig({
  trailingSlash: 'always',
  ...(url ? { site: url } : {}),
  integrations: [
    starlight({
      title: 'Malipo',
      logo: { src: './src/assets/mark.svg', alt: '' },
      favicon: '/favicon.svg',
      sidebar,
      customCss: ['./src/styles/malipo.css', './src/styles/operations.css'],
      components: { Header: './src/components/header.astro' },
      head: [
        meta({ property: 'og:image', content: shareImage }),
        meta({ property: 'og:image:width', content: '1200' }),
        meta({ property: 'og:image:height', content: '630' }),
        meta({ property: 'og:image:alt', content: 'Malipo: payments across Africa, on your own machines' }),
        meta({ name: 'twitter:image', content: shareImage }),
      ],
      credits: false,
      pagination: true,
      tableOfContents: { minHeadingLevel: 2, maxHeadingLevel: 3 },
      expressiveCode: {
        themes: ['github-dark-default'], // Code is dark on a light page too.
        styleOverrides: {
          borderRadius: '0.75rem',
          codeFontSize: '0.8rem',
          borderColor: '#24352d',
          codeBackground: '#0e1814',
          frames: {
            editorBackground: '#0e1814',
            editorTabBarBackground: '#0e1814',
            editorActiveTabBackground: '#0e1814',
            editorActiveTabIndicatorTopColor: 'transparent',
            editorActiveTabIndicatorBottomColor: '#4fcb9a',
            terminalBackground: '#0e1814',
            frameBoxShadowCssValue: 'none',
          },
        },
        defaultProps: { wrap: true, overridesByLang: { 'sh,text': { frame: 'none' } } },
      },
    }),
  ],
})

// Runs before the first paint, so that a dark page never flashes light.
const stored = localStorage.getItem('malipo.theme')
const isDark = stored === 'dark' || (stored === null && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.dataset.theme = isDark ? 'dark' : 'light'

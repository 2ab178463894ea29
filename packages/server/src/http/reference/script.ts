/** Goes unchanged into the page's only script element: the content security policy names its hash. Adds the copy buttons. */
export const script = `
for (const figure of document.querySelectorAll('figure.code')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(figure.querySelector('code').textContent)
    button.textContent = 'Copied'
    setTimeout(() => { button.textContent = 'Copy' }, 1500)
  })
  if (navigator.clipboard) figure.prepend(button)
}
`

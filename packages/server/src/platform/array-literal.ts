type Element = string | number | bigint | boolean | Date | null

/** What would mean something else than itself: nothing, a delimiter, a quote, and the word for no value. */
const isSpecial = /^$|[{},"\\\s]|^null$/i

/**
 * The array as the text that PostgreSQL reads arrays from. The driver writes it several times slower, which was a tenth of what
 * accepting a payment cost: columns of a batch mostly repeat what stands above.
 */
export function arrayLiteral(elements: readonly Element[]): string {
  let text = ''
  let last: Element | undefined
  let written = ''
  for (const element of elements) {
    if (element !== last) written = elementLiteral(element)
    last = element
    text += text === '' ? written : `,${written}`
  }
  return `{${text}}`
}

function elementLiteral(element: Element): string {
  if (element === null) return 'NULL'
  if (element instanceof Date) return element.toISOString()
  const text = String(element)
  return isSpecial.test(text) ? `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` : text
}

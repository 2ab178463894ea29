/** `person.invitation_code` as words: `Person: invitation code`. A refused request keeps its method and path. */
export function actionWords(action: string): string {
  if (/^[A-Z]+ \//.test(action)) return action.replace(/\/dashboard\/v1\/merchants\/:merchantId\/:env/, '')
  const [subject = '', ...rest] = action.split('.')
  const plain = (text: string) => text.replaceAll(/[_-]/g, ' ')
  const name = plain(subject)
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}${rest.length > 0 ? `: ${plain(rest.join(' '))}` : ''}`
}

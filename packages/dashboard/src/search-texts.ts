/** The texts of a URL's search by these names. A URL is written by anyone: everything else is dropped. */
export function textsIn<Name extends string>(
  search: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): { [Each in Name]?: string } {
  const found = names.flatMap((name) => {
    const value = search[name]
    return (typeof value === 'string' || typeof value === 'number') && value !== '' ? [[name, String(value)]] : []
  })
  return Object.fromEntries(found) as { [Each in Name]?: string }
}

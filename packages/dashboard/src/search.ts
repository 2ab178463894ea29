/** What a page shows is in its URL. A URL is written by anyone: only what is known is kept. */
type Search = Readonly<Record<string, unknown>>

/** The texts of a URL's search that match their pattern. */
export function matchesIn<Name extends string>(
  search: Search,
  patterns: Readonly<Record<Name, RegExp>>,
): { [Each in Name]?: string } {
  const found = Object.entries<RegExp>(patterns).filter(([name, pattern]) => pattern.test(String(search[name] ?? '')))
  return Object.fromEntries(found.map(([name]) => [name, String(search[name])])) as { [Each in Name]?: string }
}

/** The texts of a URL's search by these names. */
export const textsIn = <Name extends string>(search: Search, names: readonly Name[]): { [Each in Name]?: string } =>
  matchesIn(search, Object.fromEntries(names.map((name) => [name, /./])) as Record<Name, RegExp>)

/** Reads these texts, for a route. */
export const readTexts =
  <Name extends string>(...names: readonly Name[]) =>
  (search: Search) =>
    textsIn(search, names)

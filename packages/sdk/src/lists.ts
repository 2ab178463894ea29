/** All items; pages are read as needed: `for await (const each of list)`. */
export interface List<Item> extends AsyncIterable<Item> {
  /** All items at once, or at most `most` of them. */
  toArray(most?: number): Promise<Item[]>
}

export interface Page<Item, Cursor> {
  readonly items: readonly Item[]
  /** Where the next page starts; undefined on the last page. */
  readonly next: Cursor | undefined
}

export function listOf<Item, Cursor>(pageAt: (cursor: Cursor | undefined) => Promise<Page<Item, Cursor>>): List<Item> {
  async function* walk(): AsyncGenerator<Item, void, undefined> {
    let cursor: Cursor | undefined
    do {
      const { items, next }: Page<Item, Cursor> = await pageAt(cursor)
      yield* items
      cursor = next
    } while (cursor !== undefined)
  }
  return {
    [Symbol.asyncIterator]: walk,
    toArray: async (most = Number.POSITIVE_INFINITY) => {
      const all: Item[] = []
      if (most <= 0) return all
      for await (const item of walk()) if (all.push(item) >= most) break
      return all
    },
  }
}

/** The cursor of the next page, from the `Link` header. */
export function nextCursor(headers: Headers): string | undefined {
  const target = /<([^>]*)>\s*;\s*rel="?next"?/.exec(headers.get('link') ?? '')?.[1]
  return target === undefined
    ? undefined
    : (new URL(target, 'http://localhost').searchParams.get('cursor') ?? undefined)
}

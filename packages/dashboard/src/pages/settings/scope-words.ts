interface Scope {
  readonly countries: readonly string[]
  readonly currencies: readonly string[]
}

/** Where a role counts. */
export const scopeWords = ({ countries, currencies }: Scope): string =>
  [...countries, ...currencies].join(', ') || 'all countries and currencies'

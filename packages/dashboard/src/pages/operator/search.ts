import type { Environment } from '../../api/place.ts'

/** The environment of all pages of the operator is in the URL, as everything that they show. */
export interface OperatorSearch {
  readonly env?: Environment
}

export const readOperatorSearch = ({ env }: Record<string, unknown>): OperatorSearch =>
  env === 'sandbox' || env === 'live' ? { env } : {}

/** Keeps the named texts of a URL and drops the rest: a URL is written by anyone. */
export const readTexts =
  <Name extends string>(...names: readonly Name[]) =>
  (search: Record<string, unknown>): { readonly [Key in Name]?: string } =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name]
        return typeof value === 'string' && value !== '' ? [[name, value]] : []
      }),
    ) as { readonly [Key in Name]?: string }

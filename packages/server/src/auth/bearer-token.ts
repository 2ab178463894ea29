/** The token of an Authorization header; empty without one. */
export function tokenOf(authorization = ''): string {
  const [scheme = '', token = '', ...rest] = authorization.split(' ').filter((word) => word !== '')
  return scheme.toLowerCase() === 'bearer' && rest.length === 0 ? token : ''
}

/** The names and attributes of people's cookies. */
export interface Cookies {
  /** Holds the secret id of a session. */
  readonly session: string
  /** Binds challenges to a browser before a session exists. */
  readonly browser: string
  readonly isSecure: boolean
}

/**
 * `__Host-` cookies need https. When `MALIPO_PUBLIC_URL` is http on this machine's own address, for development, the names have
 * no prefix and the cookies are not `Secure`, because some browsers drop them otherwise. With any other http URL no cookie is
 * sent back, so sign-in fails instead of sending a session in the clear.
 */
export function cookiesFor(publicUrl: string): Cookies {
  const { protocol, hostname } = new URL(publicUrl)
  const isLocal = protocol === 'http:' && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  const prefix = isLocal ? '' : '__Host-'
  return { session: `${prefix}malipo`, browser: `${prefix}malipo-browser`, isSecure: !isLocal }
}

/** The value of a cookie in a Cookie header; empty without one, or when it is sent twice: one of them is not ours. */
export function readCookie(header: string | undefined, name: string): string {
  const values = (header ?? '').split(';').flatMap((part) => {
    const [key, ...rest] = part.trim().split('=')
    return key === name ? [rest.join('=')] : []
  })
  return values.length === 1 ? (values[0] ?? '') : ''
}

/** A Set-Cookie header. It lasts until the browser closes; the server decides when a session ends. */
export function writeCookie({ isSecure }: Cookies, name: string, value: string): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
}

export function clearCookie(cookies: Cookies, name: string): string {
  return `${writeCookie(cookies, name, '')}; Max-Age=0`
}

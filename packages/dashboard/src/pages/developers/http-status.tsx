const looks = { 2: 'text-ok', 3: 'text-run', 4: 'text-warn', 5: 'text-fail' } as const

/** The number says it; the colour only helps to find it. */
export function HttpStatus({ status }: { readonly status: number | string }) {
  const look = looks[String(status).charAt(0) as unknown as keyof typeof looks] ?? 'text-fail'
  return <span className={`font-mono text-xs font-semibold ${look}`}>{status}</span>
}

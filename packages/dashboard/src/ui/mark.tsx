/** The mark of Malipo. */
export function Mark({ size = 26 }: { readonly size?: number }) {
  return (
    <svg aria-hidden="true" height={size} viewBox="0 0 32 32" width={size}>
      <rect fill="#0b6e4f" height="32" rx="8" width="32" />
      <path
        d="M8 22V11l8 6 8-6v11"
        fill="none"
        stroke="#fff"
        strokeLinecap="round"
        strokeLinejoin="round"
        strokeWidth="3.4"
      />
    </svg>
  )
}

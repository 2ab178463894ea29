interface SegmentsProps<Name extends string> {
  readonly label: string
  readonly options: readonly { readonly name: Name; readonly word: string; readonly count?: number | undefined }[]
  readonly chosen: Name
  readonly onChoose: (name: Name) => void
}

/** Also for links between pages that are one choice. */
export const segmentLook =
  'inline-flex h-[26px] items-center gap-1.5 rounded-[5px] px-2.5 text-xs font-medium whitespace-nowrap max-phone:h-8'

/** A choice between a few that are all visible. */
export function Segments<Name extends string>({ label, options, chosen, onChoose }: SegmentsProps<Name>) {
  return (
    <fieldset
      aria-label={label}
      className="inline-flex min-w-0 max-w-full gap-0.5 overflow-x-auto rounded-sm bg-surface-3 p-0.5"
    >
      {options.map(({ name, word, count }) => (
        <button
          aria-pressed={name === chosen}
          className={`${segmentLook} ${name === chosen ? 'bg-raised text-ink ring-1 ring-line' : 'text-ink-2'}`}
          key={name}
          onClick={() => onChoose(name)}
          type="button"
        >
          {word}
          {count !== undefined && <span className="text-ink-3">{count.toLocaleString('en')}</span>}
        </button>
      ))}
    </fieldset>
  )
}

interface SegmentsProps<Name extends string> {
  readonly label: string
  readonly options: readonly { readonly name: Name; readonly word: string; readonly count?: number | undefined }[]
  readonly chosen: Name
  readonly onChoose: (name: Name) => void
}

/** A choice between a few ways to see the same list. */
export function Segments<Name extends string>({ label, options, chosen, onChoose }: SegmentsProps<Name>) {
  return (
    <fieldset className="inline-flex gap-0.5 rounded-sm bg-surface-3 p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map(({ name, word, count }) => (
        <button
          aria-pressed={name === chosen}
          className={`inline-flex h-[26px] items-center gap-1.5 rounded-[5px] px-2.5 text-xs font-medium ${name === chosen ? 'bg-raised text-ink ring-1 ring-line' : 'text-ink-2'}`}
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

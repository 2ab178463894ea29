import { type RefObject, useRef, useState } from 'react'
import type { Place } from '../../api/place.ts'
import { Icon } from '../../ui/icons.tsx'
import { FilterEditor } from './filter-editor.tsx'
import { type Field, fields, isSet, without, wordsOf } from './filter-fields.ts'
import type { PaymentFilters } from './filters.ts'

interface FilterBarProps {
  readonly place: Place
  readonly filters: PaymentFilters
  readonly onChange: (filters: PaymentFilters) => void
  readonly q: string
  readonly onSearch: (q: string) => void
  /** The key `f` presses it. */
  readonly addRef: RefObject<HTMLButtonElement | null>
}

/** What selects the payments: field, operator and value of each filter, and a text that is kept in no URL. */
export function FilterBar({ place, filters, onChange, q, onSearch, addRef }: FilterBarProps) {
  const [isAdding, setAdding] = useState(false)
  const [changing, setChanging] = useState<Field>()
  const box = useRef<HTMLDivElement>(null)
  const close = () => {
    setAdding(false)
    setChanging(undefined)
    addRef.current?.focus()
  }
  const apply = (next: PaymentFilters) => {
    close()
    onChange(next)
  }
  return (
    <div className="relative px-6 py-3 max-phone:px-4" ref={box}>
      <div className="flex items-center gap-2 max-phone:overflow-x-auto phone:flex-wrap">
        {fields
          .filter((field) => isSet(filters, field))
          .map((field) => (
            <Chip
              field={field}
              filters={filters}
              key={field.name}
              onEdit={() => setChanging(field)}
              onRemove={() => apply(without(filters, field))}
            />
          ))}
        <button
          aria-expanded={isAdding}
          aria-haspopup="dialog"
          className="inline-flex h-[30px] flex-none items-center gap-1.5 rounded-sm border border-dashed border-line-3 px-2 text-xs font-medium text-ink-2 hover:bg-hover"
          onClick={() => setAdding(true)}
          ref={addRef}
          type="button"
        >
          <Icon name="filter" size={14} />
          Filter <kbd className="max-phone:hidden">F</kbd>
        </button>
        {filters.reference === undefined && <SearchBox onSearch={onSearch} q={q} />}
      </div>
      {(isAdding || changing !== undefined) && (
        <FilterEditor field={changing} filters={filters} onApply={apply} onClose={close} place={place} />
      )}
    </div>
  )
}

interface ChipProps {
  readonly field: Field
  readonly filters: PaymentFilters
  readonly onEdit: () => void
  readonly onRemove: () => void
}

function Chip({ field, filters, onEdit, onRemove }: ChipProps) {
  const { operator, value } = wordsOf(filters, field)
  return (
    <span className="inline-flex h-[30px] flex-none items-stretch overflow-hidden rounded-sm border border-line-2 text-xs whitespace-nowrap">
      <button className="inline-flex items-stretch hover:bg-hover" onClick={onEdit} type="button">
        <span className="sr-only">Change the filter </span>
        <span className="flex items-center px-2 text-ink-3">{field.word}</span>
        <span className="flex items-center border-l border-line px-2 text-ink-3">{operator}</span>
        <b className="flex items-center border-l border-line px-2 font-semibold">{value}</b>
      </button>
      <button
        aria-label={`Remove the filter ${field.word}`}
        className="grid w-7 place-items-center border-l border-line text-ink-2 hover:bg-hover"
        onClick={onRemove}
        type="button"
      >
        <Icon name="close" size={12} />
      </button>
    </span>
  )
}

function SearchBox({ q, onSearch }: Pick<FilterBarProps, 'q' | 'onSearch'>) {
  return (
    <label className="relative ml-auto flex items-center max-phone:hidden">
      <span className="sr-only">Search these payments</span>
      <Icon className="pointer-events-none absolute left-2 text-ink-3" name="search" size={14} />
      <input
        autoComplete="off"
        className="h-[30px] w-[200px] rounded-sm border border-line-2 bg-surface pr-2 pl-7 text-xs placeholder:text-ink-3"
        onChange={(event) => onSearch(event.target.value)}
        placeholder="Phone, reference or name"
        type="search"
        value={q}
      />
    </label>
  )
}

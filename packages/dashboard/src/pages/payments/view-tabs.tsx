import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Place } from '../../api/place.ts'
import { Icon } from '../../ui/icons.tsx'
import type { PaymentFilters } from './filters.ts'
import { doubtsQuery } from './payments-query.ts'
import { type SavedView, savedViewsQuery } from './saved-views-query.ts'
import { ViewDialog } from './view-dialog.tsx'
import { builtInViews, isSameView, type View } from './views.ts'

interface ViewTabsProps {
  readonly place: Place
  readonly filters: PaymentFilters
  readonly onChoose: (filters: PaymentFilters) => void
}

/** Lists under a name: those that everyone has, the person's own, and those that others share. */
export function ViewTabs({ place, filters, onChoose }: ViewTabsProps) {
  const { data: saved = [] } = useQuery(savedViewsQuery(place))
  const { data: doubts } = useQuery(doubtsQuery(place))
  const [editing, setEditing] = useState<SavedView | 'new'>()
  const views: readonly (View | SavedView)[] = [...builtInViews, ...saved]
  const isKnown = views.some((view) => isSameView(view.filters, filters))
  return (
    <div className="flex items-center border-b border-line px-4 max-phone:px-2">
      <nav aria-label="Views" className="-mb-px flex min-w-0 overflow-x-auto">
        {views.map((view) => (
          <ViewTab
            count={view.name === 'In doubt' && doubts ? doubts : undefined}
            isOpen={isSameView(view.filters, filters)}
            key={'id' in view ? view.id : view.name}
            onChoose={() => onChoose(view.filters)}
            onEdit={setEditing}
            view={view}
          />
        ))}
      </nav>
      {!isKnown && (
        <button
          className="ml-1 inline-flex h-7 flex-none items-center gap-1 rounded-sm px-2 text-xs font-medium text-ink-2 hover:bg-surface-3"
          onClick={() => setEditing('new')}
          type="button"
        >
          <Icon name="plus" size={14} />
          Save view
        </button>
      )}
      {editing !== undefined && (
        <ViewDialog
          filters={filters}
          onClose={() => setEditing(undefined)}
          onDeleted={() => onChoose({})}
          place={place}
          view={editing === 'new' ? undefined : editing}
        />
      )}
    </div>
  )
}

interface ViewTabProps {
  readonly view: View | SavedView
  readonly isOpen: boolean
  readonly count: { readonly count: number; readonly hasMore: boolean } | undefined
  readonly onChoose: () => void
  readonly onEdit: (view: SavedView) => void
}

function ViewTab({ view, isOpen, count, onChoose, onEdit }: ViewTabProps) {
  const isSaved = 'id' in view
  return (
    <span
      className={`flex flex-none items-center border-b-2 ${isOpen ? 'border-brand' : 'border-transparent'}`}
      title={isSaved && !view.isOwn ? `Shared by ${view.savedBy}` : undefined}
    >
      <button
        aria-pressed={isOpen}
        className={`flex h-9 items-center gap-1.5 px-2 font-medium whitespace-nowrap ${isOpen ? 'text-ink' : 'text-ink-2 hover:text-ink'}`}
        onClick={onChoose}
        type="button"
      >
        {isSaved && <Icon className="text-ink-3" name="star" size={14} />}
        {view.name}
        {count !== undefined && (
          <span className="rounded-full bg-surface-3 px-1.5 text-2xs text-ink-2">
            {count.count}
            {count.hasMore && '+'}
          </span>
        )}
      </button>
      {isSaved && view.isOwn && isOpen && (
        <button
          aria-label={`Change the view ${view.name}`}
          className="grid size-6 place-items-center text-ink-3 hover:text-ink"
          onClick={() => onEdit(view)}
          type="button"
        >
          <Icon name="more" />
        </button>
      )}
    </span>
  )
}

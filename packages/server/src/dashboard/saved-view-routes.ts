import assert from 'node:assert/strict'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import type { App } from '../http/app.ts'
import { readId, showId } from '../platform/ids.ts'
import { FilterFields, readFilter } from '../transactions/filter.ts'
import {
  changeView,
  deleteView,
  listViews,
  type SavedView,
  saveView,
  type ViewContent,
  type ViewOwner,
} from './saved-views.ts'
import { closed, Done, dataOf, done } from './schema.ts'

/** A text to search for may be a phone number or a name: it is not kept. */
const { q: _, ...KeptFields } = FilterFields
const Filters = Type.Object(KeptFields, {
  ...closed,
  description: 'Filters of the search, but not `q`: it may be personal data',
})

const content = {
  name: Type.String({ minLength: 1, maxLength: 60 }),
  filters: Filters,
  isShared: Type.Boolean({ description: 'Others of the merchant read it too' }),
}
const Page = Type.Literal('payments')
const NewView = Type.Object({ page: Page, ...content }, closed)
const Change = Type.Object(content, closed)

const View = Type.Object(
  {
    id: Type.String(),
    page: Page,
    ...content,
    isOwn: Type.Boolean({ description: 'You may change and delete it' }),
    savedBy: Type.String({ description: 'The name of the person' }),
  },
  { title: 'SavedView' },
)

const tags = ['Saved views']
const params = Type.Object({ viewId: Type.String({ maxLength: 100 }) })

/** Lists under a name: a person's own, and those that others share. */
export function savedViewRoutes(app: App, ctx: Context): void {
  const { db, config } = ctx

  app.get(
    '/saved-views',
    { config: {}, schema: { summary: 'List saved views', tags, response: { 200: dataOf(Type.Array(View)) } } },
    async (request) => {
      const owner = ownerOf(request)
      const views = await listViews(db.read, owner)
      return { success: true as const, data: views.map((view) => present(view, owner)) }
    },
  )

  app.post(
    '/saved-views',
    {
      config: { errors: ['SAVED_VIEW_NAME_USED', 'SAVED_VIEW_LIMIT'] },
      schema: {
        summary: 'Save a view',
        description: 'At most 50 of a person in a merchant and environment.',
        tags,
        body: NewView,
        response: { 200: dataOf(Type.Object({ id: Type.String() })) },
      },
    },
    async (request) => {
      const view = { page: request.body.page, ...contentOf(request.body) }
      const id = await db.write.transaction((tx) => saveView(tx, config.cell, ownerOf(request), view))
      return { success: true as const, data: { id: showId('saved view', id) } }
    },
  )
  changingRoutes(app, ctx)
}

function changingRoutes(app: App, { db }: Context): void {
  app.put(
    '/saved-views/:viewId',
    {
      config: { errors: ['SAVED_VIEW_MISSING', 'SAVED_VIEW_NAME_USED'] },
      schema: { summary: 'Replace a saved view', tags, params, body: Change, response: { 200: Done } },
    },
    async (request) => {
      const [owner, id] = [ownerOf(request), idOf(request.params.viewId)]
      await db.write.transaction((tx) => changeView(tx, owner, id, contentOf(request.body)))
      return done
    },
  )

  app.delete(
    '/saved-views/:viewId',
    {
      config: { errors: ['SAVED_VIEW_MISSING'] },
      schema: { summary: 'Delete a saved view', tags, params, response: { 200: Done } },
    },
    async (request) => {
      const [owner, id] = [ownerOf(request), idOf(request.params.viewId)]
      await db.write.transaction((tx) => deleteView(tx, owner, id))
      return done
    },
  )
}

function ownerOf(request: FastifyRequest): ViewOwner {
  const { merchant_id, env, actor } = bearerOf(request)
  const person_id = readId('person', actor.id)
  assert(person_id, 'only people have views')
  return { merchant_id, env, person_id }
}

function idOf(shown: string): string {
  const id = readId('saved view', shown)
  if (id === undefined) throw new AppError('SAVED_VIEW_MISSING')
  return id
}

/** Values are those that the search takes, so no other text is kept in a filter. */
function contentOf({ name, filters, isShared }: Static<typeof Change>): Omit<ViewContent, 'page'> {
  readFilter(filters)
  const trimmed = name.trim()
  if (trimmed === '') throw invalid([{ field: 'name', message: 'name must not be blank' }])
  return { name: trimmed, filters: filters as ViewContent['filters'], is_shared: isShared }
}

function present({ id, person_id, person_name, page, name, filters, is_shared }: SavedView, owner: ViewOwner) {
  return {
    id: showId('saved view', id),
    page: page as Static<typeof Page>,
    name,
    filters: filters as Static<typeof Filters>,
    isShared: is_shared,
    isOwn: person_id === owner.person_id,
    savedBy: person_name,
  }
}

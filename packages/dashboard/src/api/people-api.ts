import { type Operations, operations } from '../generated/people-api.ts'
import { caller } from './caller.ts'

export const peopleApi = caller<Operations>('/people/v1', operations)

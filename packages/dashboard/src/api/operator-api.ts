import { type Operations, operations } from '../generated/operator-api.ts'
import { caller } from './caller.ts'

export const operatorApi = caller<Operations>('/operator/v1', operations)

import type { Reply } from '../dialect.ts'

export const complain = (status: number, message: string): Reply => ({ status, body: { error: message } })

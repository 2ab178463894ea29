import { AppError } from '../errors.ts'

/** Limits how many calls per key wait for an outside service at a time. One more is refused at once. */
export function createWaitingLimit(max: number): <Value>(key: string, work: () => Promise<Value>) => Promise<Value> {
  const waiting = new Map<string, number>()
  return async (key, work) => {
    const count = waiting.get(key) ?? 0
    if (count >= max) throw new AppError('RATE_LIMIT_EXCEEDED', { headers: { 'retry-after': '1' } })
    waiting.set(key, count + 1)
    try {
      return await work()
    } finally {
      const left = (waiting.get(key) ?? 1) - 1
      if (left === 0) waiting.delete(key)
      else waiting.set(key, left)
    }
  }
}

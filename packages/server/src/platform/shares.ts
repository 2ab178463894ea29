/** Counts work in progress by key. One key may have three quarters of the room, so that others always find some. */
export interface Shares {
  total(): number
  hasRoom(key: string, room: number): boolean
  take(key: string): void
  giveBack(key: string): void
}

const largestShare = 3 / 4

export function createShares(): Shares {
  const held = new Map<string, number>()
  let total = 0
  return {
    total: () => total,
    hasRoom: (key, room) => total < room && (held.get(key) ?? 0) < Math.ceil(room * largestShare),
    take: (key) => {
      total += 1
      held.set(key, (held.get(key) ?? 0) + 1)
    },
    giveBack: (key) => {
      total -= 1
      const left = (held.get(key) ?? 1) - 1
      if (left === 0) held.delete(key)
      else held.set(key, left)
    },
  }
}

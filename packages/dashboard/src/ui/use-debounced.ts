import { useEffect, useState } from 'react'

/** The value once the person has paused, so that not every key is a request. */
export function useDebounced<Value>(value: Value, ms = 350): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}

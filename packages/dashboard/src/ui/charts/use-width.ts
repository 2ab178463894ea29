import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

/** The width of an element, so that a chart is drawn to it and its text keeps its size. */
export function useWidth<Element extends HTMLElement>(first = 640): [RefObject<Element | null>, number] {
  const ref = useRef<Element>(null)
  const [width, setWidth] = useState(first)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    setWidth(element.clientWidth)
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, width]
}

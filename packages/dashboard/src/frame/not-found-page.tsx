import { Link } from '@tanstack/react-router'

export function NotFoundPage() {
  return (
    <section className="mx-auto grid max-w-[520px] gap-3 px-6 py-16">
      <h1 className="text-xl font-semibold">There is no such page</h1>
      <p className="text-ink-2">The address is wrong, or what it named is not yours.</p>
      <Link className="font-medium text-brand" to="/">
        Go to the start
      </Link>
    </section>
  )
}

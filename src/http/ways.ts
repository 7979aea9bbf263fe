import { type Degree, may } from '../kernel/rights.ts'
import type { Form, OpenPage, Page } from '../kernel/page.ts'
import type { AccountCaller } from '../kernel/route.ts'

type Way = Page | Form

/** Which addresses of the dashboard are for whom, by what pages and forms declare. */
export class Ways {
  readonly #ways: readonly { method: 'GET' | 'POST'; matches: RegExp; way: Way }[]

  constructor(pages: readonly (Way | OpenPage)[]) {
    this.#ways = pages
      .filter((page): page is Way => 'permission' in page)
      .map((way) => ({
        method: 'render' in way ? ('GET' as const) : ('POST' as const),
        matches: new RegExp(`^${way.path === '/' ? '' : way.path.replaceAll(/:\w+/g, '[^/]+')}$`),
        way,
      }))
      // What is written out comes before what a parameter would match.
      .sort((one, other) => Number(one.way.path.includes(':')) - Number(other.way.path.includes(':')))
  }

  /** To look at a page, and to change by a form. */
  degreeOf(way: Way): Degree {
    return 'render' in way ? (way.degree ?? 'see') : 'all'
  }

  admits(way: Way, caller: AccountCaller): boolean {
    if (caller.session?.mustEnrol && !way.unenrolled) return false
    return way.permission === 'none' || may(caller, way.permission, this.degreeOf(way))
  }

  /** Whether somebody gets in at an address; what is no address of the dashboard is not its business. */
  opens(caller: AccountCaller, method: 'GET' | 'POST', href: string): boolean {
    const path = /^\/dashboard([^?#]*)/.exec(href)?.[1]
    const found = this.#ways.find((one) => one.method === method && path !== undefined && one.matches.test(path))
    return !found || this.admits(found.way, caller)
  }
}

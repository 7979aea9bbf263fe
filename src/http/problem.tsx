import type { IncomingHttpHeaders } from 'node:http'
import { renderPage } from '../web/layout.tsx'
import { SiteProblem } from '../web/problem-page.tsx'
import { PAGE_HEADERS } from './page-headers.ts'

/** The default Accept header of Java programs, which do not want a page. */
const JAVA = /^text\/html, image\/gif, image\/jpeg, \*/

/** Browsers name HTML first; a program that accepts anything gets JSON. Nothing under `/api/` is a page. */
export function wantsPage(method: string, url: string, { accept = '' }: IncomingHttpHeaders): boolean {
  if (method !== 'GET' || url.startsWith('/api/') || JAVA.test(accept)) return false
  const html = accept.indexOf('text/html')
  const json = accept.indexOf('application/json')
  return html !== -1 && (json === -1 || html < json)
}

/** A refusal as a page. */
export function toProblemPage(refusal: { status: number; text: string; devnet: boolean }) {
  const headers = { ...PAGE_HEADERS, 'cache-control': 'no-store', vary: 'accept', 'x-robots-tag': 'noindex, nofollow' }
  return { headers, page: renderPage(<SiteProblem {...refusal} />) }
}

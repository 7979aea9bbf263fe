import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDashboard } from '../pages/dashboard-steps.ts'

/* Every page of the dashboard must link to its guide. */

/** Sections that need no guide: none. */
const WITHOUT: readonly string[] = []

test('every section of the dashboard leads to its guide, and the guide is there', async (t) => {
  const { get, enter, adminKey } = await openDashboard(t)
  const cookie = await enter(adminKey)
  // The pages of a group are its tabs.
  const linksOf = (text: string) =>
    [...text.matchAll(/<nav[^]*?<\/nav>/g)].flatMap(([nav]) =>
      [...nav.matchAll(/href="(\/dashboard[^"?]*)"/g)].map(([, href]) => href!),
    )
  const sections = new Set(['/dashboard'])
  for (const section of sections) for (const href of linksOf((await get(section, cookie)).text)) sections.add(href)
  assert.ok(sections.size > 15, [...sections].join(' '))
  const wrong: string[] = []
  for (const section of sections) {
    const page = await get(section, cookie)
    const guide = /<a href="([^"]+)">Guide to this page</.exec(page.text)?.[1]
    if (guide === undefined) {
      if (!WITHOUT.includes(section)) wrong.push(`${section} has no guide`)
      continue
    }
    const [path = '', id] = guide.split('#')
    const { status, text } = await get(path)
    if (status !== 200 || (id !== undefined && !text.includes(`id="${id}"`))) wrong.push(`${section}: no ${guide}`)
  }
  assert.deepEqual(wrong, [])
  // A page within a section links to the same guide.
  assert.match(
    (await get('/dashboard/links/new', cookie)).text,
    /<a href="\/docs\/merchants#share-a-link">Guide to this page</,
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderPage } from '../../../web/layout.tsx'
import { COMPONENT_NAMES, type State } from '../components.ts'
import { StatusPage } from './status-page.tsx'

function pageOf(states: Partial<Record<string, State>>): string {
  const components = COMPONENT_NAMES.map((component) => {
    const state = states[component] ?? 'up'
    return { component, state, uptime: '99.99', days: [{ day: '2026-11-16', state, uptime: '99.99' }] }
  })
  return renderPage(<StatusPage status={{ lookedAt: 0, components, incidents: [] }} devnet={false} />)
}

test('the worst component state comes first, and colours only repeat what the text says', () => {
  const heading = (page: string) => /<h1>(.*?)<\/h1>/.exec(page)?.[1]
  assert.equal(heading(pageOf({})), 'All systems operational')
  assert.equal(heading(pageOf({ mail: 'degraded' })), 'Some systems are degraded')
  const down = pageOf({ mail: 'degraded', nodes: 'down' })
  assert.equal(heading(down), 'Some systems are down')
  assert.match(down, /class="day bad"[^>]*><span class="unseen">2026-11-16: down, 99\.99 % up/)
})

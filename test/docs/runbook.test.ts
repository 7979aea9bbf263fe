import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headingId } from '../../src/web/docs-markdown.tsx'
import { read } from './documents.ts'

/* Operators follow an alert's link at night and must find what to do. */

test('every alarm links to its entry in the runbook, in the section of its severity', () => {
  const [wake = '', wait = ''] = read('docs/operating/runbook.md').split('\n## In working hours\n')
  const entries = (text: string) => [...text.matchAll(/^### (\w+)\n\n(.{60,})/gm)].map(([, name = '']) => name)
  const rules = [
    ...read('deploy/prometheus/alerts.yml').matchAll(/- alert: (\w+)\n([^]*?)(?=\n {6}- alert|\n {2}- name|$)/g),
  ]
  const alarms = rules.map(([, name = '', rule = '']) => {
    const [, severity] = /severity: (\w+)/.exec(rule) ?? []
    const [, anchor] =
      /\n +runbook_url: https:\/\/pay\.shop\.example\/docs\/operating\/runbook#(\S+)\n?/.exec(rule) ?? []
    assert.equal(anchor, headingId(name), name)
    return { name, severity }
  })
  const named = (severity: string) => alarms.filter((alarm) => alarm.severity === severity).map(({ name }) => name)
  assert.ok(alarms.length > 30)
  assert.deepEqual(entries(wake).sort(), named('page').sort())
  assert.deepEqual(entries(wait).sort(), named('ticket').sort())
})

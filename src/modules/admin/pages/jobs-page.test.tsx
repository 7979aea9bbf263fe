import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderToString } from 'preact-render-to-string'
import type { FrameProps } from '../../../kernel/page.ts'
import { JobsPage } from './jobs-page.tsx'

const account = { id: 'acc_1', email: null, role: 'admin' }
const page = {
  section: '/dashboard/admin/jobs',
  menu: [],
  account,
  shop: { name: null },
  csrf: 'csrf',
  opens: () => true,
}
const frame = page as unknown as FrameProps
const job = { kind: 'mail.send', attempts: 3, runAt: 1_000, lastError: null }

test('only a dead job can be tried again, and its error is shown as plain text', () => {
  const jobs = [
    { ...job, id: 'job_1', status: 'dead' as const, lastError: '<script>alert(1)</script>' },
    { ...job, id: 'job_2', status: 'running' as const },
  ]
  const counts = [{ status: 'dead', count: 1_234 }]
  const shown = renderToString(<JobsPage frame={frame} status="dead" jobs={jobs} counts={counts} />)
  assert.deepEqual(
    [...shown.matchAll(/action="(\/dashboard\/admin\/jobs[^"]+)"/g)].map(([, action]) => action),
    ['/dashboard/admin/jobs/job_1/retry'],
  )
  assert.ok(!shown.includes('<script>alert'))
  assert.match(shown, /aria-current="page"[^>]*>dead \(1,234\)</)
})

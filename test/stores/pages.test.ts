import assert from 'node:assert/strict'
import { test } from 'node:test'
import { behind } from '../../src/kernel/paging.ts'
import { ENGINES, openFresh } from '../support/engines.ts'

const ROW = { payload: '{}', status: 'ready' as const, run_at: 0, attempts: 0, attempts_max: 1, fence: 0 }
const EMPTY = { key: null, locked_until: null, last_error: null, finished_at: null }

for (const engine of ENGINES) {
  test(`${engine}: pages behind the last row repeat nothing and leave nothing out, in any order of three keys`, async (t) => {
    const { store } = await openFresh(t, engine)
    const rows = [1, 2].flatMap((createdAt) =>
      ['a', 'b'].flatMap((kind) =>
        ['1', '2', '3'].map((id) => ({ created_at: createdAt, kind, id: kind + createdAt + id })),
      ),
    )
    await store.db
      .insertInto('jobs')
      .values(rows.map((row) => ({ ...ROW, ...EMPTY, ...row })))
      .execute()
    const query = store.db
      .selectFrom('jobs')
      .select(['created_at', 'kind', 'id'])
      .orderBy('created_at', 'desc')
      .orderBy('kind')
      .orderBy('id', 'desc')
    const whole = await query.execute()
    for (const limit of [1, 2, 5]) {
      const seen: typeof whole = []
      for (let pages = 0; pages <= rows.length; pages++) {
        const last = seen.at(-1)
        const page = await query
          .$if(last !== undefined, (next) =>
            next.where(
              behind(['created_at', 'desc', last!.created_at], ['kind', 'asc', last!.kind], ['id', 'desc', last!.id]),
            ),
          )
          .limit(limit)
          .execute()
        if (page.length === 0) break
        seen.push(...page)
      }
      assert.deepEqual(seen, whole, `pages of ${limit}`)
    }
  })
}

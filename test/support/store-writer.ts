/*
 * Writes to a store as fast as it can until it is killed, and runs the jobs that it adds. It prints only what is acknowledged as committed: `account <id>`
 * and `spent <reservation>`. It begins on any input, so that loading takes no time of the test.
 */
import { OPERATOR } from '../../src/kernel/actor.ts'
import { writeSync } from 'node:fs'
import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { systemClock } from '../../src/infra/clock.ts'
import { openStore } from '../../src/store/schema.ts'
import { openIds, systemRandom } from '../../src/infra/random.ts'
import { JobRunner } from '../../src/infra/jobs/runner.ts'
import { type StoreCtx, inTx } from '../../src/kernel/in-tx.ts'
import { enqueue } from '../../src/kernel/job.ts'
import { addAvailable, insertEntry } from '../../src/modules/accounts/credits-store.ts'
import { createAccountIn } from '../../src/modules/accounts/domain/create-account.ts'
import { commitCredits, releaseCredits, reserveCredits } from '../../src/modules/accounts/domain/credits.ts'
import { KILL_JOB, writeMailOf } from './store-writer-job.ts'
import { receiveFailures } from './failures.ts'

const WRITERS = 16

// A killed process does not save its compile cache, so save it now.
flushCompileCache()
await once(process.stdin, 'data')
const store = await openStore(process.argv[2]!, systemClock)
const { db, engine } = store
const ids = openIds(systemRandom)
const runner = new JobRunner({
  failures: receiveFailures(),
  db,
  engine,
  clock: systemClock,
  random: systemRandom,
  ids,
  jobs: [writeMailOf(db)],
})
const ctx: StoreCtx = {
  db,
  clock: systemClock,
  random: systemRandom,
  ids,
  wakeJobs: () => runner.wake(),
  notifyAccount: () => undefined,
  failures: receiveFailures(),
}
await runner.start()

const say = (text: string) => writeSync(1, `${text}\n`)

/** An account, its credits and its job, in one transaction. */
const openAccount = () =>
  inTx(ctx, async (tx) => {
    const { id: accountId, createdAt } = await createAccountIn(tx, { email: null, role: 'user', actor: OPERATOR })
    const entry = { id: ids.next('crd'), accountId, amount: 10, reason: 'test', reference: `start:${accountId}` }
    await insertEntry(tx.db, { ...entry, createdAt })
    await addAvailable(tx.db, accountId, 10)
    await enqueue(tx, { kind: KILL_JOB, payload: { accountId }, key: accountId })
    return accountId
  })

async function write(writer: number): Promise<never> {
  for (let round = 0; ; round++) {
    const accountId = await openAccount()
    say(`account ${accountId}`)
    const { id } = await reserveCredits(ctx, accountId, 3)
    if ((writer + round) % 3 === 0) await releaseCredits(ctx, id)
    else if (await commitCredits(ctx, { reservationId: id, reason: 'work', actor: OPERATOR })) say(`spent ${id}`)
  }
}

await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))

import { keptAnswerContext, madeContext } from '../../kernel/idempotency.ts'
import { encryptedIn } from '../../kernel/encrypted.ts'

declare module '../../kernel/db.ts' {
  interface Tables {
    /** Jobs are in a table, so that a job is committed or rolled back together with the change that needs it. */
    jobs: {
      id: string
      kind: string
      /** At most one unfinished job has this key, so adding a job twice has no effect. */
      key: string | null
      payload: string
      status: 'ready' | 'running' | 'done' | 'dead'
      run_at: number
      attempts: number
      attempts_max: number
      /** When the claim ends unless it is renewed; a dead worker loses it. */
      locked_until: number | null
      /** Changes with every claim. A worker that has lost its claim cannot finish the job. */
      fence: number
      last_error: string | null
      created_at: number
      finished_at: number | null
    }
    mails: {
      id: string
      recipient: string
      subject: string
      text: string
      status: 'captured' | 'queued' | 'sent' | 'failed'
      created_at: number
      sent_at: number | null
    }
    idempotency: {
      account_id: string
      action: string
      key: string
      fingerprint: string
      status: 'started' | 'finished'
      answer: string | null
      created_at: number
      expires_at: number
      /** The claim of the current run; changes when another run takes over. */
      claim: string | null
      /** When the run counts as dead unless it renews the lease. */
      lease_until: number | null
      /** What the run has made, encrypted; written in the same transaction. */
      made: string | null
    }
    store_facts: {
      name: string
      value: string
      created_at: number
    }
  }
}

/** Ordered so that every table comes after the tables that it refers to; rows are copied in this order. */
export const INFRA_TABLES = ['jobs', 'mails', 'idempotency', 'store_facts'] as const

export const factContext = encryptedIn({ table: 'store_facts', columns: ['value'], key: ['name'] }, (name) =>
  name === 'secret-key' ? 'canary' : `fact:${name}`,
)

export const INFRA_ENCRYPTED = [keptAnswerContext, madeContext, factContext]

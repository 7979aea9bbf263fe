import type { Db } from '../../src/kernel/db.ts'
import { WORK_THRESHOLDS, formatWork, workValue } from '../../src/kernel/nano/work.ts'
import { saveWork } from '../../src/modules/work/store.ts'

/*
 * Some clients always ask for work at the live network's thresholds. A gateway needs a minute of a processor for that on average, sometimes several. The
 * accounts and amounts of a test are the same in every run, and so are the hashes, so the work found once is stored here.
 */
const FOUND: Record<string, string> = {
  // nano-wallet-js: send
  C1DBEB6431D59F57F3DA8D12C81C64DD5819AAE8E2FA93D687AE698A8BF95395: 'c1dbeb645dab1b04',
  // nano-wallet-js: change
  E33565B4E05CB89EA0BFE17F2D3B7533CD434D65936665B637263F23761212AC: 'e33565b4e728f5bb',
  // @nanobox/nano-client: send
  '918BF234E5309DEC39B8BBD887FEE017DB15D78C4D23109A48D0C208D36D13B5': '918bf234fb8d5d0c',
  // @nanobox/nano-client: change
  E2118E9B9F99647918AC83C4071EF00BD49BA6359F713FA1E68A5A120CE638C4: 'e2118e9ba40b2c19',
  // libnemo: receive. It times out after ten seconds, too early for a busy machine.
  '93605981C344CB2B71EFA7C67D662B25318018AF9E274B32D8D8687A74AF43C6': '93605981c4ed228f',
  // libnemo: send
  '33C658E9CDEC10A3735E5ABF2E4557C928137222B2561BA7E89EA027937E8B5A': '33c658e9ed3bd5e5',
  // libnemo: change
  '6318C535C23B8F4DB980C000948B9F401D5C3BCB8224D896FFAC63329DE0DEA3': '6318c535c6f731c2',
}

export async function keepFoundWork({ db, now }: { db: Db; now: number }): Promise<void> {
  for (const [root, work] of Object.entries(FOUND)) {
    await saveWork(db, { root, work, value: workValue(root, work), account: null, now, expiresAt: now + 86_400_000 })
  }
}

/** Work for sends that had to be computed, because a test has changed. */
export async function listSearched(db: Db): Promise<{ root: string; work: string }[]> {
  return db
    .selectFrom('works')
    .select(['root', 'work'])
    .where('value', '>=', formatWork(WORK_THRESHOLDS.live.send))
    .where('root', 'not in', Object.keys(FOUND))
    .execute()
}

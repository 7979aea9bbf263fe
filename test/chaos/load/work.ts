import { workValue } from '../../../src/kernel/nano/work.ts'
import type { Caller } from './caller.ts'

/** Buys work with a credit. */
export async function work(caller: Caller): Promise<void> {
  const { client, random, made, thresholds } = caller.options
  const root = random.hex(64)
  made.workAttempts++
  const answer = await client.post({ action: 'work_generate', hash: root })
  if (answer?.status !== 200) return
  const { work, credits } = answer.body
  if (typeof work !== 'string' || workValue(root, work) < thresholds.send) caller.complain('work that is none', answer)
  if (credits === 1) made.workAnswers++
}

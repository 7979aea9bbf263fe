/** What a step has brought about: something moved, a block went out, there is nothing to do, or others must move first. */
export type Step = 'moved' | 'sent' | 'idle' | 'waiting'

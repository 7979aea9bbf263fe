/** What a step has brought about: something moved, there is nothing to do, or others must move first. */
export type Step = 'moved' | 'idle' | 'waiting'

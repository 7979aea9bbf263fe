/** The result of a step: something moved, a block was sent, there is nothing to do, or something outside must happen first. */
export type Step = 'moved' | 'sent' | 'idle' | 'waiting'

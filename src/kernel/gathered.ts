interface Asked<I, O> {
  input: I
  resolve(output: O): void
  reject(error: unknown): void
}

/**
 * Makes one batch of what many ask for at once: of all that comes in one turn of the loop, and of all that comes while the
 * batch before is under way. A batch that fails is tried again one by one, so that no caller fails for another's sake.
 */
export class Gathered<I, O> {
  readonly #run: (inputs: I[]) => Promise<O[]>
  readonly #max: number
  #waiting: Asked<I, O>[] = []
  #running = false

  /** `run` answers in the order of what it is given. */
  constructor(run: (inputs: I[]) => Promise<O[]>, max: number) {
    this.#run = run
    this.#max = max
  }

  ask(input: I): Promise<O> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject })
      if (this.#running) return
      this.#running = true
      setImmediate(() => void this.#work())
    })
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) await this.#answer(this.#waiting.splice(0, this.#max))
    this.#running = false
  }

  async #answer(batch: Asked<I, O>[]): Promise<void> {
    try {
      const outputs = await this.#run(batch.map(({ input }) => input))
      batch.forEach(({ resolve }, at) => resolve(outputs[at]!))
    } catch (error) {
      if (batch.length === 1) batch[0]!.reject(error)
      // Side by side: a store that does not answer keeps each of them waiting for as long.
      else await Promise.all(batch.map((one) => this.#answer([one])))
    }
  }
}

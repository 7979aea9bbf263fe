interface Asked<I, O> {
  input: I
  resolve(output: O): void
  reject(error: unknown): void
}

/**
 * Joins the questions of many callers into batches: all that arrive in one turn of the event loop, or while the
 * previous batch is running. After a failed batch each question is asked alone, so that no caller fails because of
 * another.
 */
export class Gathered<I, O> {
  readonly #run: (inputs: I[]) => Promise<O[]>
  readonly #max: number
  #waiting: Asked<I, O>[] = []
  #running = false

  /** `run` must return the answers in the order of its inputs. */
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
      // In parallel, so that all of them wait equally long if the store does not answer.
      else await Promise.all(batch.map((one) => this.#answer([one])))
    }
  }
}

import type { QueryArrayConfig } from 'pg'
import type { Sql } from './sql.ts'

/** Each connection keeps the statements it has prepared. Statements beyond this number are planned on each run. */
const MOST = 1_000

/** Names each text so that a connection prepares it once: planning costs several times what running does. */
export class Statements {
  readonly #names = new Map<string, string>()

  of(statement: Sql, isNamed: boolean): QueryArrayConfig {
    const { text } = statement
    const name = isNamed ? this.#name(text) : undefined
    const config: QueryArrayConfig = { text, values: [...statement.bound], rowMode: 'array' }
    return name === undefined ? config : { ...config, name }
  }

  #name(text: string): string | undefined {
    const present = this.#names.get(text)
    if (present !== undefined || this.#names.size >= MOST) return present
    const name = `s${this.#names.size}`
    this.#names.set(text, name)
    return name
  }
}

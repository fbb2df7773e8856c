import { resources } from '../../core/resources/all.ts'
import type { Resource, Row } from '../../core/resources/resource.ts'

/** Undoes a change that throws, so that each call of a port does all or nothing. */
export class Journal {
  #undo: (() => void)[] = []

  note(undo: () => void): void {
    this.#undo.push(undo)
  }

  atomically<T>(change: () => T): T {
    this.#undo = []
    try {
      return change()
    } catch (error) {
      for (const undo of this.#undo.reverse()) undo()
      throw error
    }
  }
}

/** Rows by their ids, which are never reused. */
export class Table<R> {
  readonly #journal: Journal
  readonly #rows = new Map<number, R>()
  readonly #removed = new Map<number, R>()
  #lastId = 0

  constructor(journal: Journal) {
    this.#journal = journal
  }

  get(id: number): R | undefined {
    return this.#rows.get(id)
  }

  /** The last content of a deleted row. */
  removed(id: number): R | undefined {
    return this.#removed.get(id)
  }

  /** By id. */
  entries(): [id: number, row: R][] {
    return [...this.#rows].sort(([a], [b]) => a - b)
  }

  /** Adds the row made for the next id, and returns that id. */
  add(make: (id: number) => R): number {
    const id = ++this.#lastId
    this.set(id, make(id))
    return id
  }

  set(id: number, row: R): void {
    this.#noteFormer(id)
    this.#rows.set(id, row)
  }

  delete(id: number): void {
    const row = this.#noteFormer(id)
    if (row !== undefined) this.#removed.set(id, row)
    this.#rows.delete(id)
  }

  #noteFormer(id: number): R | undefined {
    const former = this.#rows.get(id)
    this.#journal.note(() => {
      if (former === undefined) this.#rows.delete(id)
      else this.#rows.set(id, former)
    })
    return former
  }
}

/** A stored record with its id and timestamps. */
export type Stored = Row & { readonly id: number }

/** The records of every declared resource. */
export class Tables {
  readonly #tables: ReadonlyMap<string, Table<Stored>>

  constructor(journal: Journal) {
    this.#tables = new Map(resources.map(({ name }) => [name, new Table<Stored>(journal)]))
  }

  of({ name }: Pick<Resource, 'name'>): Table<Stored> {
    const table = this.#tables.get(name)
    if (!table) throw new Error(`There is no resource with the name ${name}.`)
    return table
  }

  /** The records with these values, by id. As in a database, null equals nothing. */
  holding(resource: Pick<Resource, 'name'>, where: Row): Stored[] {
    return this.of(resource)
      .entries()
      .map(([, row]) => row)
      .filter(row => Object.entries(where).every(([field, value]) => value !== null && row[field] === value))
  }
}

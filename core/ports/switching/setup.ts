/** The initial setup of a switch. */
export interface SwitchSetup {
  /** To be written into one folder, readable by the owner only: most hold passwords. */
  readonly files: readonly { readonly path: string; readonly text: string }[]
  /** Where telephones and carriers will reach the switch, as a sentence without its full stop. */
  readonly reach: string
  /** What to do with the files, one sentence each. */
  readonly steps: readonly string[]
}

/** What an operator specifies about the switch; the rest is chosen. */
export interface SetupOptions {
  /** The folder for the files. */
  readonly out: string
  /** Where phones and carriers reach the switch. */
  readonly address: string | null
  /** Where a switch that does not ask for telephones finds them. */
  readonly telephones?: 'file' | 'database'
  /** Where a switch that asks for telephones keeps their registrations. */
  readonly registrations?: 'disk' | 'memory'
}

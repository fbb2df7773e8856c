/** A request to a path for programs that are not API clients, such as a switch. */
export interface MountedRequest {
  /** Of the connection, never taken from a header. */
  readonly address: string
  header(name: string): string | undefined
  /** Reads the body; rejects with `too_large` and the like. */
  body(): Promise<string>
}

export interface MountedResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly type: string
  readonly body: string
}

/** A path outside the sessions and the API. It accepts only POST. */
export interface Mount {
  readonly path: string
  /** The largest body, in bytes. */
  readonly largest: number
  answer(request: MountedRequest): Promise<MountedResponse>
}

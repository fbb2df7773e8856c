// Loads TypeScript on worker threads as well: tsx registers itself on the main thread only.
import { isMainThread } from 'node:worker_threads'
import { register } from 'tsx/esm/api'

if (!isMainThread) register()

/** How many reports the demo enqueues. */
export const reports = 4000;

/** How long a worker holds a report without a sign of life. */
export const lease = '2s';

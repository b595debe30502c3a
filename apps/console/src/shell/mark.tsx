/** Two tracks and a switch. */
export function Mark({ size = 22 }: { readonly size?: number }) {
  return (
    <svg class="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M7 22h18M7 10h5c6 0 4 12 10 12M20 10h5" />
    </svg>
  );
}

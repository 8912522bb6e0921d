// Milliseconds as a clock shows them: "4:05", "1:02:09".
export function clock(ms) {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const [hours, minutes, rest] = [
    Math.floor(seconds / 3600),
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ];
  const two = number => String(number).padStart(2, '0');
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

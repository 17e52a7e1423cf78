/** What is done with an order, whoever reads it: its customer's name and country are looked up and added. */
export async function enrich(order, service) {
  const response = await fetch(`${service}/customers/${order.customer}`);
  if (!response.ok) throw new Error(`customer ${order.customer}: ${response.status}`);
  const { name, country } = await response.json();
  return { ...order, name, country };
}

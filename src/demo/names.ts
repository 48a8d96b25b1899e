/** The names in the sample company. */

export const ADDRESS = [
  ...(['buyer', 'address1', 'address2', 'city', 'state', 'country', 'pincode', 'gstn', 'phone', 'email'] as const),
] as const

export interface City {
  name: string
  state: string
  stateCode: string
  pincode: number
  /** The warehouse that serves it. */
  warehouse: number
}

const city = (name: string, state: string, stateCode: string, pincode: number, warehouse: number): City => ({
  ...{ name, state, stateCode, pincode, warehouse },
})

export const CITIES: readonly City[] = [
  city('Pune', 'Maharashtra', '27', 411_001, 0),
  city('Mumbai', 'Maharashtra', '27', 400_001, 2),
  city('Nagpur', 'Maharashtra', '27', 440_001, 0),
  city('Nashik', 'Maharashtra', '27', 422_001, 2),
  city('Thane', 'Maharashtra', '27', 400_601, 2),
  city('Indore', 'Madhya Pradesh', '23', 452_001, 1),
  city('Bhopal', 'Madhya Pradesh', '23', 462_001, 1),
  city('Ahmedabad', 'Gujarat', '24', 380_001, 2),
  city('Surat', 'Gujarat', '24', 395_001, 2),
  city('Gurugram', 'Haryana', '06', 122_001, 3),
  city('Delhi', 'Delhi', '07', 110_001, 3),
  city('Jaipur', 'Rajasthan', '08', 302_001, 3),
  city('Lucknow', 'Uttar Pradesh', '09', 226_001, 3),
  city('Chandigarh', 'Chandigarh', '04', 160_017, 3),
  city('Patna', 'Bihar', '10', 800_001, 3),
  city('Kolkata', 'West Bengal', '19', 700_001, 3),
  city('Bengaluru', 'Karnataka', '29', 560_001, 4),
  city('Mysuru', 'Karnataka', '29', 570_001, 4),
  city('Chennai', 'Tamil Nadu', '33', 600_001, 4),
  city('Coimbatore', 'Tamil Nadu', '33', 641_001, 4),
  city('Hyderabad', 'Telangana', '36', 500_001, 4),
  city('Kochi', 'Kerala', '32', 682_001, 4),
]

export const WAREHOUSES: readonly { location: string; city: string; gstn: 'own' | '' | null }[] = [
  { location: 'Pune Plant', city: 'Pune', gstn: 'own' },
  { location: 'Indore Plant', city: 'Indore', gstn: 'own' },
  { location: 'Bhiwandi Depot', city: 'Thane', gstn: 'own' },
  { location: 'Gurugram Depot', city: 'Gurugram', gstn: 'own' },
  { location: 'Bengaluru C&F Agent', city: 'Bengaluru', gstn: '' },
  { location: 'Online Fulfilment Centre', city: 'Mumbai', gstn: null },
]

export const STREETS = ['Industrial Estate', 'Market Yard', 'Station Road', 'MG Road', 'Ring Road', 'Gandhi Chowk']
export const LANDMARKS = ['Bus Stand', 'Town Hall', 'Old Fort', 'City Mall', 'Water Tank']
export const PEOPLE = [
  ...['Shree Balaji', 'Agarwal', 'Mehta', 'Kulkarni', 'Sharma', 'Iyer', 'Reddy', 'Patel', 'Desai', 'Nair', 'Gupta'],
  ...['Joshi', 'Rao', 'Singhania', 'Chatterjee', 'Bansal', 'Shetty', 'Khanna', 'Malhotra', 'Pillai', 'Bose', 'Jain'],
  ...['Verma', 'Kapoor', 'Menon', 'Saxena', 'Bhatt', 'Deshmukh', 'Chopra', 'Trivedi', 'Gokhale'],
]
export const TRADES = [
  'Agro',
  'Traders',
  'Packaging',
  'Spices',
  'Oils',
  'Flour Mills',
  'Printers',
  'Dairy',
  'Logistics',
]
export const SHOPS = ['Supermart', 'Stores', 'Distributors', 'Retail LLP', 'Provision', 'Mart', 'Wholesale', 'Foods']
export const FIRST_NAMES = [
  ...['Asha', 'Vikram', 'Meera', 'Rohan', 'Kavita', 'Arjun', 'Sunita', 'Imran', 'Divya', 'Rahul', 'Fatima', 'Joseph'],
  ...['Lakshmi', 'Gurpreet', 'Ananya', 'Farhan', 'Neha', 'Suresh', 'Tara', 'Yash', 'Pooja', 'Kiran', 'Zoya'],
]
/** Names that careless programs cannot handle, by the index of the customer. */
export const SPECIAL_CUSTOMERS: Readonly<Record<number, string>> = {
  0: 'Lakshmi "Mithaiwala" & Sons, Pune',
  4: 'अन्नपूर्णा भंडार',
  5: "D'Souza's Fine Foods; Goa",
  10: 'Café Ñandú – São Paulo Exports',
}

/** Product variants, for a large company. */
export const RANGES = [
  ...['Classic', 'Royal', 'Village', 'Heritage', 'Premium', 'Lite', 'Select', 'Family', 'Festival', 'Organic'],
  ...Array.from({ length: 190 }, (_, i) => `Series ${i + 1}`),
]

type Raw = { name: string; price: number; unit: 'KG' | 'LTR'; tax: number }
const kg = (price: number, tax: number, ...list: string[]): Raw[] =>
  list.map((name) => ({ name, price, unit: 'KG', tax }))
/** Prices in paise. */
export const RAW: readonly Raw[] = [
  ...kg(
    8_200,
    5,
    'Gram Flour',
    'Moong Dal',
    'Chana Dal',
    'Urad Dal',
    'Masoor Dal',
    'Rice Flour',
    'Semolina',
    'Wheat Flour',
  ),
  ...kg(5_400, 0, 'Potato Flakes', 'Raw Banana', 'Poha', 'Puffed Rice', 'Sago', 'Sweet Corn', 'Beetroot Chips'),
  ...kg(13_500, 5, 'Peanuts', 'Sesame Seed', 'Flax Seed', 'Sunflower Seed', 'Coconut Flakes'),
  ...kg(72_000, 12, 'Almonds', 'Cashew Nuts', 'Pistachios', 'Raisins', 'Walnuts', 'Dates'),
  ...kg(24_000, 5, 'Chilli Powder', 'Turmeric', 'Coriander Powder', 'Cumin', 'Black Pepper', 'Fennel', 'Ajwain'),
  ...kg(41_000, 18, 'Garam Masala', 'Chaat Masala', 'Amchur', 'Asafoetida', 'Curry Leaf Powder', 'Citric Acid'),
  ...kg(2_100, 5, 'Salt', 'Rock Salt', 'Sugar', 'Jaggery', 'Baking Soda'),
  ...kg(52_000, 12, 'Ghee', 'Milk Powder', 'Butter', 'Cocoa Powder', 'Paneer Powder', 'Cheese Powder'),
  ...(['Groundnut Oil', 'Palmolein', 'Sunflower Oil', 'Rice Bran Oil', 'Mustard Oil'] as const).map(
    (name): Raw => ({ name, price: 15_500, unit: 'LTR', tax: 5 }),
  ),
]

export const SIZES = ['40 g', '200 g', '400 g', '1 kg']
export const PACKING: readonly { name: string; price: number }[] = [
  ...([
    ['Pouch', 140],
    ['Printed Laminate', 210],
    ['Label', 35],
    ['Carton', 1_800],
    ['Jar', 900],
    ['Cap', 120],
  ] as const),
  ...([
    ['Shrink Sleeve', 60],
    ['Tray', 250],
    ['Zip Bag', 310],
    ['Inner Liner', 45],
    ['Gift Box', 4_200],
  ] as const),
  ...([
    ['Ribbon', 150],
    ['Oxygen Absorber', 70],
  ] as const),
].flatMap(([name, price]) => SIZES.map((size, i) => ({ name: `${name} ${size}`, price: price + i * 15 })))

export const SERVICES = [
  ...['Freight', 'Pest Control', 'Machine Maintenance', 'Laboratory Testing', 'Label Design', 'Housekeeping'],
  ...['Cold Storage Rent', 'Calibration'],
]
export const BASES = [
  ...['Fried Sev Base', 'Roasted Dal Base', 'Spice Mix', 'Potato Chip Base', 'Masala Peanut Base', 'Khari Dough'],
  ...['Laddu Base', 'Chivda Base'],
]
export const PACKS = [
  { grams: 40, text: '40 g' },
  { grams: 200, text: '200 g' },
  { grams: 400, text: '400 g' },
]
const flavour = (primary: string, category: string, hsn: string, tax: number, ...list: string[]) =>
  list.map((name) => ({ name, primary, category, hsn, tax }))
export const FLAVOURS = [
  ...flavour('Snacks', 'Namkeen', '21069099', 12, 'Aloo Bhujia', 'Moong Dal Namkeen', 'Khatta Meetha', 'Ratlami Sev'),
  ...flavour('Snacks', 'Chips', '20052000', 12, 'Banana Chips', 'Potato Chips', 'Beetroot Crisps'),
  ...flavour('Snacks', 'Nuts', '20081100', 12, 'Masala Peanuts', 'Salted Cashews'),
  ...flavour('Sweets', 'Sweets', '21069099', 5, 'Besan Laddu', 'Soan Papdi', 'Coconut Barfi'),
  ...flavour('Bakery', 'Cookies', '19053100', 18, 'Jeera Khari', 'Almond Cookies', 'Nankhatai'),
]
export const COMBOS = [
  ...[
    'Diwali Gift Box',
    'Tea Time Pack',
    'Party Pack',
    'Rakhi Hamper',
    'Office Pantry Pack',
    'Travel Pack',
    'Holi Hamper',
  ],
]
export const STAFF = ['Meera Nair', 'Rohan Deshmukh', 'Kavita Iyer', 'Imran Sheikh', 'Sunita Patil']
export const APPROVERS = {
  'Purchase Head': ['Asha Rao', 'Vikram Shah'],
  Finance: ['Neha Kapoor'],
  Director: ['Arun Kulkarni', 'Leela Menon'],
}
